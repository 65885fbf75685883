import type { Handlers } from '../contract/contract.ts';
import { readTailscale } from '../platform/tailscale.ts';
import { linkTagsOf } from './link-tags.ts';
import type { SelfTester } from './self-test/self-test.ts';

interface SetupDeps {
  readonly base: () => string;
  readonly selfTest: SelfTester;
}

export function setupHandlers({ base, selfTest }: SetupDeps) {
  return {
    'setup.linkTags': () => {
      const tags = linkTagsOf(base());
      return { tags, html: tags.map(({ rel, href }) => `<link rel="${rel}" href="${href}">`).join('\n') };
    },
    'setup.check': ({ only }) => (only === 'site' ? selfTest.runSite() : selfTest.run()),
    'setup.lastCheck': () => selfTest.last(),
    'setup.tailscale': () => readTailscale(),
  } satisfies Partial<Handlers>;
}
