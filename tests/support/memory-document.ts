import type { GrantDocument } from '../../src-main/indieauth/grant-document.ts';
import type { GrantList } from '../../src-main/indieauth/grant.ts';

/** A grants.json without a disk: changes are applied to a copy, and are visible only once "saved". */
export function memoryGrants(): GrantDocument {
  let data: GrantList = { grants: [] };
  let turn: Promise<unknown> = Promise.resolve();
  return {
    get data() {
      return data;
    },
    end: () => Promise.resolve(),
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
