import { expect, test } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { failureWords } from '../../../src-main/desktop/dialog-words.ts';

test.each(['folder_in_use', 'storage_newer', 'keychain_unavailable'] as const)(
  '%s has a title of its own above its message',
  (code) => {
    const { message, detail } = failureWords(new PorchlightError(code, 'What to do.'));
    expect(message).not.toBe('Porchlight could not start');
    expect(detail).toBe('What to do.');
  },
);

test('any other error is shown with its message, and never without one', () => {
  expect(failureWords(new PorchlightError('busy', 'Odd.'))).toEqual({
    message: 'Porchlight could not start',
    detail: 'Odd.',
  });
  expect(failureWords(new Error('Plain.')).detail).toBe('Plain.');
  expect(failureWords('thrown').detail).toBe('Something unexpected happened.');
});
