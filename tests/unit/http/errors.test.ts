import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { answerError } from '../../../src-main/http/errors.ts';
import { writeFailure } from '../../../src-main/storage/storage-error.ts';

test('a full disk is told to the world without the names of the owner’s files', async () => {
  const app = Fastify();
  app.setErrorHandler(answerError);
  app.get('/', () => {
    throw writeFailure('/home/ada/porchlight/grants.json', Object.assign(new Error(), { code: 'ENOSPC' }));
  });
  const answer = await app.inject('/');
  expect(answer.statusCode).toBe(507);
  expect(answer.json()).toEqual({
    error: 'insufficient_storage',
    error_description:
      "This server's disk is full, so nothing was saved. Try again when the owner has freed some space.",
  });
});
