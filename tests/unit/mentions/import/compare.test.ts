import { expect, test } from 'vitest';
import { newMention } from '../../../../src-main/mentions/moderation.ts';
import type { Mention } from '../../../../src-main/mentions/mention.ts';
import { mayBeRemoved } from '../../../../src-main/mentions/import/removals.ts';
import { importedSample } from '../../../support/mention-samples.ts';

const now = '2026-11-20T10:00:00.000Z';
const imported = (rest: Partial<Mention> = {}): Mention => ({
  ...newMention(importedSample(1, { parsed: '2019-03-01T10:00:00Z' }), 'id', 1, now),
  ...rest,
});

test.each(['approved', 'held', 'hidden'] as const)(
  'an import may remove a mention that is %s, unless the owner decided about it',
  (status) => {
    expect(mayBeRemoved(imported({ status }))).toBe(true);
    expect(mayBeRemoved(imported({ status, chosen: true }))).toBe(false);
  },
);

test.each(['removed', 'deleted'] as const)('an import does not remove a mention that is %s', (status) => {
  expect(mayBeRemoved(imported({ status }))).toBe(false);
});
