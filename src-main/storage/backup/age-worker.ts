import { parentPort, workerData } from 'node:worker_threads';
import { doAgeJob, type AgeJob } from './age-job.ts';

// The thread in which a passphrase becomes a key: one job, and its end.
parentPort?.postMessage(await doAgeJob(workerData as AgeJob));
