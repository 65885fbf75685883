import { areaOf } from '../../src-main/contract/activity.ts';
import type { Handlers } from '../../src-main/contract/contract.ts';
import type { House } from './window-fixtures.ts';

/** What the service of a house answers about what happened in it. */
export function activityHandlers(
  house: Pick<House, 'activity'>,
): Pick<Handlers, 'activity.list' | 'support.file'> {
  return {
    'activity.list': ({ area, query = '' }) => {
      const text = query.toLowerCase();
      const items = house.activity.items.filter(
        ({ kind, words }) =>
          (area === undefined || areaOf(kind) === area) && words.toLowerCase().includes(text),
      );
      return Promise.resolve({ ...house.activity, items });
    },
    'support.file': () =>
      Promise.resolve({
        name: 'porchlight-support-2026-11-21.txt',
        text: 'Porchlight 0.1.0 on linux x64\nThe server: On, reachable at https://porch.marlow.example\n',
      }),
  };
}
