// The figures of a report as they move: once one comes into view, the same Vega-Lite specification that its SVG was
// drawn from is drawn in its place, with what is under the pointer shown, dragging and Shift + wheel to zoom. The SVG is
// what is printed.
import embed, { type VisualizationSpec } from 'vega-embed';

type Quantity = { title: string; values: (number | null)[] };
type Explore = { quantities: Quantity[]; runs: string[]; cells: string[]; across: number; up: number; colours: Record<string, unknown>; config: Record<string, unknown> };
type Data = { figures: Record<string, VisualizationSpec>; explore: Explore | null };

const options = { renderer: 'svg', actions: false, defaultStyle: false, tooltip: { disableDefaultStyle: true } } as const;

async function show(box: HTMLElement, spec: VisualizationSpec): Promise<void> {
  const place = document.createElement('div');
  place.className = 'live';
  box.append(place);
  try {
    await embed(place, spec, options);
    box.classList.add('drawn');
  } catch (error) {
    place.remove();
    console.error(error);
  }
}

/** One quantity of the runs against another, as the reader chooses. */
function explore(data: Explore): void {
  const box = document.getElementById('explore');
  const across = document.getElementById('across') as HTMLSelectElement | null;
  const up = document.getElementById('up') as HTMLSelectElement | null;
  if (!box || !across || !up) return;
  for (const [select, chosen] of [[across, data.across], [up, data.up]] as const) {
    data.quantities.forEach((quantity, i) => select.append(new Option(quantity.title, String(i))));
    select.value = String(chosen);
    select.addEventListener('change', () => void draw());
  }
  const draw = async () => {
    const x = data.quantities[Number(across.value)], y = data.quantities[Number(up.value)];
    if (!x || !y) return;
    const values = data.runs.map((run, i) => ({ run, cell: data.cells[i], x: x.values[i], y: y.values[i] })).filter((row) => row.x !== null && row.y !== null);
    const field = (name: string, title: string) => ({ field: name, type: 'quantitative', title, scale: { zero: false } });
    const spec = {
      $schema: 'https://vega.github.io/schema/vega-lite/v6.json', width: 760, height: 360, config: data.config, data: { values },
      params: [{ name: 'zoom', select: { type: 'interval', zoom: 'wheel![event.shiftKey]' }, bind: 'scales' }],
      mark: { type: 'point', filled: true, size: 40, opacity: 0.75 },
      encoding: {
        x: field('x', x.title), y: field('y', y.title), color: data.colours,
        tooltip: [{ field: 'run', title: 'run' }, { field: 'cell', title: 'cell' }, { field: 'x', title: x.title, format: '.4g' }, { field: 'y', title: y.title, format: '.4g' }],
      },
    };
    await embed(box, spec as unknown as VisualizationSpec, options);
  };
  void draw();
}

const text = document.getElementById('figure-data')?.textContent;
if (text) {
  const data = JSON.parse(text) as Data;
  const watch = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      watch.unobserve(target);
      const spec = data.figures[(target as HTMLElement).dataset['figure'] ?? ''];
      if (spec) void show(target as HTMLElement, spec);
    }
  }, { rootMargin: '200px' });
  for (const box of document.querySelectorAll<HTMLElement>('[data-figure]')) watch.observe(box);
  if (data.explore) explore(data.explore);
}
