import { keepAnswers, type KeptAnswers } from '../../src-main/http/kept-answers.ts';
import { createVersions } from '../../src-main/storage/caches.ts';

/** Makes each answer again, for readers that don't report their changes. */
export const keepNothing = (now: () => number = Date.now): KeptAnswers =>
  keepAnswers({ versions: createVersions(), now, mostBytes: 0 });
