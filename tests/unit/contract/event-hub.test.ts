import { expect, test } from 'vitest';
import { createEventHub } from '../../../src-main/contract/contract.ts';

test('a window that cannot be reached keeps no event from the others', () => {
  const failures: unknown[] = [];
  const heard: string[] = [];
  const hub = createEventHub((error) => void failures.push(error));
  hub.subscribe(() => {
    throw new Error('Object has been destroyed');
  });
  const end = hub.subscribe(({ name }) => void heard.push(name));
  hub.emit('signIn.settled', { id: 'one', outcome: 'expired' });
  end();
  hub.emit('signIn.settled', { id: 'two', outcome: 'expired' });
  expect(heard).toEqual(['signIn.settled']);
  expect(failures).toEqual([new Error('Object has been destroyed'), new Error('Object has been destroyed')]);
});
