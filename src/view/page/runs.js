// Runs live: the program sends each card when something about it has changed.
import { byId, setMarkup } from './parts.js';

// 8.2 s, 3 min 05 s, 1 h 20 min
function duration(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 60) return seconds.toFixed(1) + ' s';
  const two = (number) => String(Math.floor(number)).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two((seconds % 3600) / 60)} min`;
}

function countOn() {
  for (const time of document.querySelectorAll('time[data-since]')) {
    time.textContent = duration(Date.now() - Number(time.dataset.since));
  }
}

function showRuns({ cards, problems, running }) {
  const list = byId('runs');
  const old = new Map([...list.children].map((card) => [card.dataset.key, card]));
  let before = list.firstElementChild;
  for (const { key, state, html } of cards) {
    let card = old.get(key);
    old.delete(key);
    if (!card) {
      card = document.createElement('article');
      card.dataset.key = key;
    }
    card.className = 'run ' + state;
    setMarkup(card, html);
    if (card === before) {
      before = before.nextElementSibling;
    } else {
      list.insertBefore(card, before);
    }
  }
  for (const card of old.values()) card.remove();
  setMarkup(byId('problems'), problems);
  byId('no-runs').hidden = cards.length > 0;
  const count = byId('running');
  count.hidden = running === 0;
  count.textContent = running;
  count.setAttribute('aria-label', `, ${running} running`);
  countOn();
}

export function startRuns() {
  const line = byId('link');
  let source = null;
  const say = (text, good) => {
    line.textContent = text;
    line.classList.toggle('good', good);
  };
  // Nobody looks at a page in the background, and browsers keep few lines open.
  function listen() {
    if (document.hidden) {
      source?.close();
      source = null;
      return;
    }
    if (source) return;
    source = new EventSource('./events');
    source.addEventListener('open', () => say('live', true));
    source.addEventListener('error', () => say('the program does not answer', false));
    source.addEventListener('runs', (event) => showRuns(JSON.parse(event.data)));
  }
  document.addEventListener('visibilitychange', listen);
  listen();
  setInterval(countOn, 200);
  return { open() {} };
}
