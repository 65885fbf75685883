import { jobs } from '../../src-main/importing/archive-jobs.ts';
import { serveJobs } from '../../src-main/untrusted/serve-jobs.ts';

// The program of a thread that reads archives, and can't read posts of some dates: as if their content were an attack
// that no other limit stops.
const parse = Date.parse;
Date.parse = (text) => {
  if (text.startsWith('2020-02-02')) for (;;);
  if (text.startsWith('2020-03-03')) process.exit(1);
  if (text.startsWith('2020-04-04')) throw new Error('No.');
  const kept: object[][] = [];
  while (text.startsWith('2020-05-05')) kept.push(Array.from({ length: 1000 }, () => ({})));
  return parse(text);
};
serveJobs(jobs);
