import { expect, test } from 'vitest';
import { memoryMentions } from '../../support/memory-mentions.ts';
import { sample } from '../../support/mention-samples.ts';

test('a person is known as long as one of their mentions is shown, and a private mention reveals nobody', async () => {
  const store = memoryMentions();
  const known = () => store.personUrl('ada.example');
  await store.keep(sample(1, { private: true }));
  await store.keep(sample(2, { status: 'held' }));
  expect(known()).toBeUndefined();
  const { mention } = await store.keep(sample(3));
  expect(known()).toBe('https://ada.example/');
  await store.setStatus(mention.id, 'hidden', 'owner');
  expect(known()).toBeUndefined();
});
