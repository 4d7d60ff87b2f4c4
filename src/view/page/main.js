// The page as a whole: its four parts, which of them is open, and the line to the program.
import { byId } from './parts.js';
import { startRuns } from './runs.js';
import { startPlan } from './plan.js';
import { startModels } from './models.js';
import { startLedger } from './ledger.js';

const names = ['runs', 'plan', 'models', 'ledger'];
const parts = {
  runs: startRuns(),
  plan: startPlan(),
  models: startModels(),
  ledger: startLedger(),
};

// #plan, #models/9340030f
function place() {
  const [name, rest] = location.hash.slice(1).split('/');
  return names.includes(name) ? [name, rest ?? ''] : ['runs', ''];
}

function show() {
  const [open, rest] = place();
  for (const name of names) {
    const tab = byId('tab-' + name);
    tab.setAttribute('aria-selected', String(name === open));
    tab.tabIndex = name === open ? 0 : -1;
    byId('panel-' + name).hidden = name !== open;
  }
  document.title = open[0].toUpperCase() + open.slice(1) + ' – sotto';
  parts[open].open(rest);
}

byId('tab-runs').parentElement.addEventListener('click', (event) => {
  const tab = event.target.closest('[role=tab]');
  if (tab) location.hash = tab.id.slice(4);
});

// As every list of tabs: arrows go to the next one, Home and End to the ends.
byId('tab-runs').parentElement.addEventListener('keydown', (event) => {
  const at = names.indexOf(place()[0]);
  const to = {
    ArrowRight: (at + 1) % names.length,
    ArrowLeft: (at + names.length - 1) % names.length,
    Home: 0,
    End: names.length - 1,
  }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  location.hash = names[to];
  byId('tab-' + names[to]).focus();
});

// The skip link goes to the part that is open, and is no place of its own.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  byId('panel-' + place()[0]).focus();
});

addEventListener('hashchange', show);
show();
