import { Session, type Profiler } from 'node:inspector/promises';

// Loaded into a server before it starts. Profiles its main thread between two messages of the parent process.

export type ProfileOrder = 'start' | 'stop';
export type ProfileAnswer = Profiler.Profile | null;

/** Between two samples, in microseconds. */
const interval = 200;
const session = new Session();
session.connect();

async function obey(order: ProfileOrder): Promise<ProfileAnswer> {
  if (order === 'stop') return (await session.post('Profiler.stop')).profile;
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval });
  await session.post('Profiler.start');
  return null;
}

process.on('message', (order: ProfileOrder) => {
  void obey(order).then((answer) => process.send?.(answer));
});
// A message that may still come does not keep the process running.
process.channel?.unref();
