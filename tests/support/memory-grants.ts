import type { GrantList, GrantRows } from '../../src-main/sign-in/grant.ts';

/** A table of grants without a disk: changes are applied to a copy, and are visible only once "saved". */
export function memoryGrants(): GrantRows {
  let data: GrantList = { grants: [] };
  let turn: Promise<unknown> = Promise.resolve();
  return {
    get data() {
      return data;
    },
    update(change) {
      const done = turn.then(() => {
        const draft = structuredClone(data);
        const answer = change(draft);
        data = draft;
        return answer;
      });
      turn = done;
      return done;
    },
  };
}
