import type { GrantRows, GrantsById } from '../../src-main/sign-in/grant.ts';

/** A table of grants without a disk: changes are applied to a copy, and are visible only once "saved". */
export function memoryGrants(): GrantRows {
  let data: GrantsById = new Map();
  let turn: Promise<unknown> = Promise.resolve();
  return {
    get data() {
      return data;
    },
    update(ids, change) {
      const done = turn.then(() => {
        const draft = structuredClone(new Map([...data].filter(([id]) => ids.includes(id))));
        const answer = change(draft, {
          rows: () => [],
          run: () => 0,
          after: () => undefined,
        });
        const rest = [...data].filter(([id]) => !ids.includes(id) || draft.has(id));
        data = new Map([...rest, ...draft]);
        return answer;
      });
      turn = done;
      return done;
    },
  };
}
