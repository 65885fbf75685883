import { expect, test } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { createDataDesk } from '../../../src-main/data/data-desk.ts';
import { createEventHub } from '../../../src-main/contract/contract.ts';

const desk = () => createDataDesk({ hub: createEventHub(), now: () => 0 });

test('work that is cancelled has ended when cancelling has, and other work may follow', async () => {
  const at = desk();
  const work = at.run(
    'backup',
    ({ signal }) =>
      new Promise<string>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new PorchlightError('cancelled', 'Cancelled.', 409))),
      ),
    String,
  );
  await expect(at.run('export', () => Promise.resolve(''), String)).rejects.toMatchObject({ code: 'busy' });
  const [outcome] = await Promise.allSettled([work, at.cancel()]);
  expect(outcome).toMatchObject({ reason: { code: 'cancelled' } });
  expect(at.progress).toMatchObject({ task: 'backup', state: 'cancelled' });
  await expect(at.run('export', () => Promise.resolve('done'), String)).resolves.toBe('done');
});

test('a closed desk starts nothing: a copy would continue after the end of the service', async () => {
  const at = desk();
  let begun = false;
  await at.close();
  const late = at.run('weekly', () => Promise.resolve((begun = true)), String);
  await expect(late).rejects.toMatchObject({ code: 'cancelled' });
  expect(begun).toBe(false);
});
