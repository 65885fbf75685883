import { expect, test } from 'vitest';
import { FetchError } from '../../../src-main/platform/guarded-fetch.ts';

const system = (code: string) => Object.assign(new Error('x'), { code });

/** What an attacker would like to tell apart: what stands at an address inside the owner's network. */
const inside: [string, FetchError, RegExp][] = [
  ['a refused address', new FetchError('fetch_refused_address'), /your own network/],
  ['a silent one', new FetchError('fetch_timeout'), /too long/],
  ['a closed port', new FetchError('fetch_failed', system('ECONNREFUSED')), /did not answer/],
  ['no way there', new FetchError('fetch_failed', system('EHOSTUNREACH')), /did not answer/],
  ['no network', new FetchError('fetch_failed', system('ENETUNREACH')), /did not answer/],
  ['a hang-up', new FetchError('fetch_failed', system('ECONNRESET')), /did not answer/],
  ['another protocol', new FetchError('fetch_failed', system('HPE_INVALID_CONSTANT')), /did not answer/],
  ['a name that is not there', new FetchError('fetch_failed', system('ENOTFOUND')), /name/],
  [
    'a certificate of its own',
    new FetchError('fetch_failed', system('DEPTH_ZERO_SELF_SIGNED_CERT')),
    /certificate/,
  ],
];

test.each(inside)('%s looks like any other to strangers, and not to the owner', (_what, error, detail) => {
  expect(error.message).toBe('The other server could not be reached.');
  expect(error.isUnreachable).toBe(true);
  expect(error.detail).toMatch(detail);
});

test('an answer of a server shows that the server was reached', () => {
  for (const code of ['fetch_too_large', 'fetch_too_many_redirects', 'fetch_bad_url'] as const) {
    const error = new FetchError(code);
    expect(error.isUnreachable).toBe(false);
    expect(error.detail).toBe(error.message);
  }
});
