import { parentPort, workerData } from 'node:worker_threads';
import { doAgeJob, type AgeJob } from './age-job.ts';

// The thread that derives a key from a passphrase. It runs one job and ends.
parentPort?.postMessage(await doAgeJob(workerData as AgeJob));
