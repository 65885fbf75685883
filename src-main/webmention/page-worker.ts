import { serveJobs } from '../http/strangers/thread-jobs.ts';
import { readPage } from '../http/strangers/web-page.ts';
import { readAuthor, readSource } from './source/source-reading.ts';

/** The program of the reading thread. */
const jobs = { readSource, readAuthor, readPage };
export type PageJobs = typeof jobs;

serveJobs(jobs);
