import { rmSync } from 'node:fs';
import type { Options } from '../app/options.ts';
import { ask } from '../app/ask.ts';
import type { Service } from '../app/service-options.ts';
import { ownerSite } from './cast.ts';
import { createDemoClock, liveAYear } from './live.ts';
import { createDemoWeb } from './web.ts';

/** Prepares the demo. Deletes the demo's folder when the process ends. */
export function prepareDemo({ dataDir }: Options) {
  if (dataDir === undefined) return undefined;
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const clock = createDemoClock();
  let base = '';
  const web = createDemoWeb(() => base);
  return {
    /** The options for the service, in addition to the options from withDemo. */
    service: { me: ownerSite, clock: clock.now, web: web.fetch, allowPrivateFetch: false },
    /** Fills the running service with a year of posts, mentions and apps. This takes several seconds. */
    async fill({ owner }: Service): Promise<void> {
      const { port } = await ask(owner, 'status.get', {});
      if (port === null) throw new Error('The server of the demo did not start.');
      base = `http://127.0.0.1:${port}`;
      await liveAYear({ owner, base, web, clock });
    },
  };
}
