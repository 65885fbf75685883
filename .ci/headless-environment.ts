/**
 * Returns the environment for the headless program. On Linux, glibc keeps memory that was freed for each thread and for
 * large blocks. After a flood of pages, which threads read, that was a third of the process. Whoever set these knows better.
 */
export function headlessEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  if (process.platform !== 'linux') return env;
  const block = String(128 * 1024);
  return { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: block, MALLOC_TRIM_THRESHOLD_: block, ...env };
}
