// Other models of what a run has released.
import { about, asker, byId, control, offer, sayer, setMarkup, showError } from './parts.js';

export function startModels() {
  const answer = byId('model-answer');
  const run = byId('model-run');
  const target = byId('model-target');
  const estimator = byId('model-estimator');
  const features = byId('model-features');
  const say = sayer('model-said');
  const ridge = control('model-ridge', { log: true }, change);
  ridge.set(10);
  let columns = null; // of the run; null until its answer is there

  const chosen = () =>
    [...features.querySelectorAll('input:checked')].map((box) => box.value);

  const ofTarget = (column) => column.targets.includes(target.value);

  // The target explains nothing, and is no feature.
  function listFeatures(checked) {
    const legend = features.querySelector('legend');
    const boxes = columns
      .filter((column) => !ofTarget(column))
      .map((column) => {
        const label = document.createElement('label');
        const box = document.createElement('input');
        box.type = 'checkbox';
        box.value = column.name;
        box.checked = checked(column.name);
        label.append(box, ' ' + column.name);
        return label;
      });
    features.replaceChildren(legend, ...boxes);
  }

  function fill() {
    target.replaceChildren(
      ...columns.flatMap((column) => column.targets.map((name) => new Option(name, name))));
    listFeatures(() => true);
  }

  const ask = asker('model', (json, milliseconds) => {
    if (json.columns && !columns) {
      columns = json.columns;
      fill();
      estimator.options[0].textContent = `the run’s own (${json.estimator})`;
    }
    answer.setAttribute('aria-busy', 'false');
    if (json.error) {
      showError(answer, json.error);
    } else {
      setMarkup(answer, json.html);
    }
    say((answer.querySelector('li') ?? answer).innerText);
    answer.dataset.milliseconds = milliseconds.toFixed(1);
    answer.dispatchEvent(new CustomEvent('shown'));
  });

  function change() {
    byId('model-ridge-control').hidden = estimator.value !== 'ridge';
    if (!columns) return;
    if (chosen().length === 0) {
      showError(answer, { what: 'no feature is chosen', where: '', fix: 'choose one or more' });
      return;
    }
    const query = { run: run.value, target: target.value, features: chosen().join(',') };
    if (estimator.value) query.estimator = estimator.value;
    if (estimator.value === 'ridge') query.ridge = ridge.value;
    ask(query);
  }

  function load() {
    columns = null;
    answer.setAttribute('aria-busy', 'true');
    ask({ run: run.value });
  }

  features.addEventListener('change', change);
  estimator.addEventListener('change', change);
  run.addEventListener('change', load);
  target.addEventListener('change', () => {
    const kept = new Set(chosen());
    const known = new Set([...features.querySelectorAll('input')].map((box) => box.value));
    listFeatures((name) => kept.has(name) || !known.has(name));
    change();
  });
  byId('model-form').addEventListener('submit', (event) => event.preventDefault());

  return {
    // The runs that there are now; `wanted` is one of them, or nothing in particular.
    async open(wanted) {
      offer(estimator, (await about()).estimators);
      const { runs } = await (await fetch('./models')).json();
      byId('no-models').hidden = runs.length > 0;
      byId('models-bench').hidden = runs.length === 0;
      if (runs.length === 0) return;
      const before = run.value;
      run.replaceChildren(...runs.map(({ id, name }) => new Option(name, id)));
      const id = [wanted, before].find((each) => runs.some((known) => known.id === each));
      if (id) run.value = id;
      if (run.value !== before || !columns) load();
    },
  };
}
