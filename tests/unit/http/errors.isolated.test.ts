import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { answerError } from '../../../src-main/http/error-answers.ts';
import { documentCodec } from '../../../src-main/storage/document-format.ts';
import { readFailure, writeFailure } from '../../../src-main/storage/storage-error.ts';
import { lastCopiesFormat } from '../../../src-main/data/last-copies.ts';

const file = '/home/ada/porchlight/grants.json';
const failure = (code: string) => Object.assign(new Error(), { code });

async function answerTo(raise: () => unknown, { page = false, isChange = false } = {}) {
  const app = Fastify();
  app.setErrorHandler(answerError);
  const options = { config: { page } };
  const handler = () => {
    throw raise();
  };
  app.get('/', options, handler);
  app.post('/', options, handler);
  return app.inject({ method: isChange ? 'POST' : 'GET', url: '/' });
}

test('a full disk is a request to retry later for apps', async () => {
  const answer = await answerTo(() => writeFailure(file, failure('ENOSPC')));
  expect(answer.statusCode).toBe(503);
  expect(answer.body).not.toContain('/home/ada');
});

test('a full disk is reported to strangers without the names of the owner’s files', async () => {
  const answer = await answerTo(() => writeFailure(file, failure('ENOSPC')), { isChange: true });
  expect(answer.statusCode).toBe(507);
  expect(answer.json()).toEqual({
    error: 'insufficient_storage',
    error_description:
      "This server's disk is full, so nothing was saved. Try again when the owner has freed some space.",
  });
});

test.each([
  ['EMFILE', writeFailure],
  ['ENFILE', writeFailure],
  ['EMFILE', readFailure],
])('too many open files (%s) are a short pause, not a broken disk', async (code, failed) => {
  const error = failed(file, failure(code));
  expect(error).toMatchObject({ code: 'storage_busy', status: 503 });
  expect(error.message).toContain('Too many files are open');
  const answer = await answerTo(() => error);
  expect(answer.statusCode).toBe(503);
  expect(answer.headers['retry-after']).toBe('5');
  expect(answer.json()).toEqual({
    error: 'temporarily_unavailable',
    error_description: 'This server is busy. Try again in a moment.',
  });
});

test('a file that another program changed during a request is a short pause', async () => {
  const answer = await answerTo(() => new PorchlightError('storage_changed', `"${file}" was changed.`, 503));
  expect(answer.statusCode).toBe(503);
  expect(answer.headers['retry-after']).toBe('5');
  expect(answer.body).not.toContain('grants');
});

test.each(['reading_unavailable', 'page_full'] as const)(
  'an error with status 503 that is not about storage (%s) stays a 503 and says when to try again',
  async (code) => {
    const answer = await answerTo(() => new PorchlightError(code, `No thread for "${file}".`, 503));
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('60');
    expect(answer.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: "This server can't do this at the moment. Try again later.",
    });
  },
);

describe('a file that cannot be read at the moment', () => {
  const newer = () => {
    try {
      documentCodec(lastCopiesFormat).decode({ format: 99 }, file);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  test.each([
    ['has a newer format', newer],
    ['has no read permission', () => readFailure(file, failure('EACCES'))],
  ])('because it %s is a 503 that explains itself and names no path', async (_, raise) => {
    const answer = await answerTo(raise);
    expect(answer.statusCode).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.body).toContain("can't be read at the moment");
    expect(answer.body).not.toContain('grants');
    const page = await answerTo(raise, { page: true });
    expect(page.statusCode).toBe(503);
    expect(page.body).toContain('can’t be read at the moment');
    expect(page.body).not.toContain('grants');
  });
});
