import { useRef, useState } from 'react';
import type { MentionRecord } from '../../../src-main/contract/webmentions.ts';

/** The mentions of a list that the owner selected. */
export interface Selection {
  /** In the order of the list. A mention that leaves the list leaves the selection. */
  readonly chosen: readonly MentionRecord[];
  readonly has: (id: string) => boolean;
  /** Selects a mention or takes it out. `range`: the same for all between it and the last one that was clicked. */
  readonly toggle: (id: string, range: boolean) => void;
  readonly selectAll: () => void;
  readonly clear: () => void;
}

/** Keeps a selection of `items`; `list` names the list, and another list starts with nothing selected. */
export function useSelection(items: readonly MentionRecord[], list: string): Selection {
  const [state, setState] = useState<{ list: string; ids: ReadonlySet<string> }>({ list, ids: new Set() });
  const last = useRef('');
  const ids = state.list === list ? state.ids : new Set<string>();
  const select = (next: ReadonlySet<string>) => setState({ list, ids: next });
  return {
    chosen: items.filter(({ id }) => ids.has(id)),
    has: (id) => ids.has(id),
    toggle(id, range) {
      const order = items.map((item) => item.id);
      const next = new Set(ids);
      const isOn = !ids.has(id);
      for (const one of range ? between(order, last.current, id) : [id]) {
        if (isOn) next.add(one);
        else next.delete(one);
      }
      last.current = id;
      select(next);
    },
    selectAll: () => select(new Set(items.map(({ id }) => id))),
    clear: () => select(new Set()),
  };
}

/** Returns the ids from one to another, both included; only the second where the first is not there. */
function between(order: readonly string[], from: string, to: string): readonly string[] {
  const [start, end] = [order.indexOf(from), order.indexOf(to)];
  if (start === -1 || end === -1) return [to];
  return order.slice(Math.min(start, end), Math.max(start, end) + 1);
}
