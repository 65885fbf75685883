import { workerData } from 'node:worker_threads';
import type { Kind } from './untrusted/kinds.ts';
import { serveJobs, type Jobs, type ThreadData } from './untrusted/serve-jobs.ts';

/** The program of the threads that read what Porchlight didn't write (untrusted/thread.ts). */
const programs: Readonly<Record<Kind['program'], () => Promise<{ readonly jobs: Jobs }>>> = {
  pages: () => import('./app/page-jobs.ts'),
  documents: () => import('./app/document-jobs.ts'),
  pictures: () => import('./untrusted/pictures/picture-jobs.ts'),
  backups: () => import('./app/backup-jobs.ts'),
  archives: () => import('./importing/archive-jobs.ts'),
};

const { jobs } = await programs[(workerData as ThreadData).program]();
serveJobs(jobs);
