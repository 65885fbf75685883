import { startJobThread, type JobThread } from './job-thread.ts';

// Beside this file, in the sources as in the build (vite.main.config.ts), with the same ending.
const file = `./picture-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;

/** Starts picture-worker in a thread. Its JavaScript holds little; WebAssembly's own memory ends at 2 GB. */
export function startPictureThread(): JobThread {
  return startJobThread(new URL(file, import.meta.url), {
    name: 'pictures',
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
}
