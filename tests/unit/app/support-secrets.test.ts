import { expect, test } from 'vitest';
import { withoutPrivateText } from '../../../src-main/app/support.ts';

test('the name of the home folder is removed from text, JSON and addresses of files', () => {
  const home = 'C:\\Users\\Ann';
  const text = [
    `${home}\\porchlight is full.`,
    JSON.stringify({ file: `${home}\\porchlight\\posts` }),
    'at open (file:///C:/Users/Ann/porchlight/out/main/desktop.js:1:1)',
  ].join('\n');
  expect(text.match(/Ann/g)).toHaveLength(3);
  expect(withoutPrivateText(text, [], home)).not.toContain('Ann');
});

test('a secret that JSON writes differently is left out there too', () => {
  const secret = 'Ann "the lamp" \\ Lovelace';
  const text = `${secret} ${JSON.stringify({ name: secret })}`;
  expect(withoutPrivateText(text, [secret], '/home/ann')).toBe('[redacted] {"name":"[redacted]"}');
});
