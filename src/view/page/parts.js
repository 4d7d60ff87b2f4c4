// What all parts share: asking the program, and a control that is a slider and a number.

export const byId = (id) => document.getElementById(id);

// One question at a time, and after it the newest one: what a slider has passed is not asked for.
// `show` gets each answer that is still wanted.
export function asker(path, show) {
  let asking = false;
  let next = null;
  async function ask(query) {
    if (asking) {
      next = query;
      return;
    }
    asking = true;
    const begin = performance.now();
    try {
      const answer = await fetch('./' + path + '?' + new URLSearchParams(query));
      if (answer.status === 409) {
        next ??= query; // another page was quicker
      } else {
        show(await answer.json(), performance.now() - begin);
      }
    } catch {
      show({ error: lostLine }, 0);
    }
    asking = false;
    if (next) {
      const newest = next;
      next = null;
      ask(newest);
    }
  }
  return ask;
}

export const lostLine = {
  what: 'the program does not answer',
  where: '',
  fix: 'is ‘sotto view’ still running? Its next start has another address',
};

const shown = new WeakMap();

// Markup comes from the program alone, which escapes every word in it.
export function setMarkup(element, markup) {
  if (shown.get(element) === markup) return;
  shown.set(element, markup);
  element.innerHTML = markup;
}

export function showError(element, error) {
  const box = document.createElement('div');
  box.className = 'callout warning';
  box.setAttribute('role', 'alert');
  const what = document.createElement('p');
  what.className = 'callout-title';
  what.textContent = error.what + (error.name ? '' : '.');
  const fix = document.createElement('p');
  fix.textContent = [error.where, error.fix].filter(Boolean).join('; ');
  box.append(what, fix);
  if (error.name) {
    const name = document.createElement('p');
    name.className = 'quiet';
    name.textContent = error.name;
    box.append(name);
  }
  shown.delete(element);
  element.replaceChildren(box);
}

// A slider over a number, linear or over its logarithm; `changed` is called for either.
export function control(id, { log = false, digits = 3 }, changed) {
  const number = byId(id);
  const slider = byId(id + '-slider');
  const toSlider = (value) => (log ? Math.log10(value) : value);
  const fromSlider = (place) =>
    log ? Number((10 ** Number(place)).toPrecision(digits)) : Number(place);
  slider.addEventListener('input', () => {
    number.value = fromSlider(slider.value);
    slider.setAttribute('aria-valuetext', number.value);
    changed();
  });
  number.addEventListener('input', () => {
    if (number.value !== '' && number.checkValidity()) {
      slider.value = toSlider(Number(number.value));
      slider.setAttribute('aria-valuetext', number.value);
      changed();
    }
  });
  return {
    get value() {
      return number.value;
    },
    set(value) {
      number.value = value;
      slider.value = toSlider(Number(value));
      slider.setAttribute('aria-valuetext', String(value));
    },
    enable(yes) {
      number.disabled = slider.disabled = !yes;
    },
    limit(most) {
      slider.max = number.max = most;
    },
  };
}

// What has changed, said once whoever drags has come to rest: a screen reader is not to read every
// place that a slider has passed.
export function sayer(id) {
  let waiting = 0;
  return (words) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => (byId(id).textContent = words), 700);
  };
}

// The words of a list that the program offers, and one that it does not, if a file has it.
export function offer(list, words) {
  for (const word of words) {
    if (![...list.options].some((option) => option.value === word)) list.add(new Option(word, word));
  }
}

let said = null;
// What the program says of itself, asked for once.
export function about() {
  said ??= fetch('./about').then((answer) => answer.json());
  return said;
}
