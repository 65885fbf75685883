import { expect, test } from 'vitest';
import { newMentionStore } from '../../support/mention-folder.ts';
import { sample } from '../../support/mention-samples.ts';

const from = (host: string, month: number) =>
  sample(month, {
    source: `https://${host}/${month}`,
    received: new Date(Date.UTC(2020, month, 1)).toISOString(),
  });

const ada = 'https://ada.example/';

test('an author is known at a host once the owner approved a mention of theirs by hand, and as long as one is', async () => {
  const { mentions, open } = await newMentionStore();
  const { mention } = await mentions.keep(from('ada.example', 1));
  await mentions.keep(from('bo.example', 2));
  expect(mention.status).toBe('approved');
  expect(await mentions.wasApproved('ada.example', ada)).toBe(false);

  await mentions.setStatus(mention.id, 'approved', 'owner');
  expect(await mentions.wasApproved('ada.example', ada)).toBe(true);
  expect(await mentions.wasApproved('bo.example', ada)).toBe(false);
  expect(await mentions.wasApproved('ada.example', 'https://bo.example/')).toBe(false);
  expect(await mentions.wasApproved('ada.example', '')).toBe(false);
  expect(await open().wasApproved('ada.example', ada)).toBe(true);

  await mentions.setStatus(mention.id, 'hidden', 'owner');
  expect(await mentions.wasApproved('ada.example', ada)).toBe(false);
});
