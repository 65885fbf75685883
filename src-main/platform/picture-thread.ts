import { startJobThread, type JobThread } from './job-thread.ts';

// The worker is beside this file and has the same extension, in the sources and in the build (vite.main.config.ts).
const file = `./picture-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;

/** Starts picture-worker in a thread. Its JavaScript needs little memory; WebAssembly has its own, up to 2 GB. */
export function startPictureThread(): JobThread {
  return startJobThread(new URL(file, import.meta.url), {
    name: 'pictures',
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
}
