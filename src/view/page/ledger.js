// Budgets over time.
import { byId, lostLine, setMarkup, showError } from './parts.js';

export function startLedger() {
  return {
    async open() {
      const list = byId('ledger');
      try {
        const { html } = await (await fetch('./ledger')).json();
        setMarkup(list, html);
        byId('no-ledger').hidden = html !== '';
      } catch {
        showError(list, lostLine);
      }
    },
  };
}
