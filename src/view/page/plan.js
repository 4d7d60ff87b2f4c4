// ε by looking at what it costs.
import { about, asker, byId, control, offer, sayer, setMarkup, showError } from './parts.js';

export function startPlan() {
  const answer = byId('plan-answer');
  const study = byId('plan-study');
  const solver = byId('plan-solver');
  const topology = byId('plan-topology');
  const saved = byId('plan-saved');
  let file = null; // what the file itself says; null until its answer is there
  let started = false;
  const say = sayer('plan-said');

  const controls = {
    epsilon: control('plan-epsilon', { log: true }, change),
    delta: control('plan-delta', { log: true, digits: 2 }, change),
    rows: control('plan-rows', { log: true, digits: 2 }, change),
    colluders: control('plan-colluders', {}, change),
    parties: control('plan-parties', {}, change),
    solver: { get value() { return solver.value; }, set: (value) => (solver.value = value) },
    topology: { get value() { return topology.value; }, set: (value) => (topology.value = value) },
  };
  solver.addEventListener('change', change);
  topology.addEventListener('change', change);
  study.addEventListener('change', load);
  byId('plan-reset').addEventListener('click', () => {
    fill();
    change();
  });

  // Only what differs from the file is a setting: a study that nobody touched is that study.
  function settings() {
    const query = { study: study.value, rows: controls.rows.value };
    for (const name of ['epsilon', 'delta', 'solver', 'colluders', 'topology', 'parties']) {
      if (String(controls[name].value) !== String(file[name])) query[name] = controls[name].value;
    }
    return query;
  }

  function fill() {
    offer(solver, [file.solver]);
    offer(topology, [file.topology]);
    for (const name of Object.keys(controls)) controls[name].set(file[name]);
    controls.parties.enable(!file.named);
    topology.disabled = file.named && file.topology === '';
    controls.rows.enable(file.tables);
  }

  const ask = asker('plan', (json, milliseconds) => {
    if (json.controls && !file) {
      file = json.controls;
      fill();
    }
    answer.setAttribute('aria-busy', 'false');
    if (json.error) {
      showError(answer, json.error);
    } else {
      setMarkup(answer, json.html);
    }
    say((answer.querySelector('.facts') ?? answer).innerText);
    answer.dataset.milliseconds = milliseconds.toFixed(1);
    answer.dispatchEvent(new CustomEvent('shown'));
  });

  function change() {
    saved.textContent = '';
    if (!file) return;
    controls.colluders.limit(Math.max(0, Number(controls.parties.value) - 2));
    ask(settings());
  }

  function load() {
    file = null;
    saved.textContent = '';
    answer.setAttribute('aria-busy', 'true');
    ask({ study: study.value });
  }

  async function start() {
    started = true;
    const told = await about();
    for (const name of told.studies) study.add(new Option(name, name));
    study.add(new Option('made-up households', told.made_up));
    offer(solver, told.solvers);
    offer(topology, told.topologies);
    byId('plan-folder').textContent = told.folder;
    load();
  }

  async function save(replace) {
    const name = byId('plan-name').value.trim();
    const query = settings();
    delete query.rows;
    const response = await fetch('./save', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name, replace, query }),
    });
    const json = await response.json();
    if (json.saved) {
      saved.textContent = `Saved as ${json.saved}.`;
      saved.className = 'good';
      if (![...study.options].some((option) => option.value === json.saved)) {
        study.add(new Option(json.saved, json.saved), study.options.length - 1);
      }
    } else if (json.error.name === 'E-view-exists' && !replace) {
      byId('plan-replace-text').textContent = `There is a ${name} already. Replace it?`;
      byId('plan-replace').showModal();
    } else {
      saved.textContent = `${json.error.what}: ${json.error.fix}.`;
      saved.className = 'bad';
    }
  }
  byId('plan-form').addEventListener('submit', (event) => {
    event.preventDefault();
    if (file) save(false);
  });
  byId('plan-replace-no').addEventListener('click', () => byId('plan-replace').close());
  byId('plan-replace-yes').addEventListener('click', () => {
    byId('plan-replace').close();
    save(true);
  });

  return {
    open() {
      if (!started) start();
    },
  };
}
