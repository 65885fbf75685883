import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { Profile } from '../contract/settings.ts';
import type { Finding, LinkTag } from '../contract/setup.ts';
import { pageOf, readPage } from '../http/strangers/web-page.ts';
import { endpointsOf } from '../indieauth/metadata.ts';
import { sameUrl } from '../indieauth/web-address.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';

/** The links that the owner's site carries, so that apps and other sites find this server. `base`: the origin. */
export function linkTagsOf(base: string): LinkTag[] {
  const endpoints = endpointsOf(base);
  return [
    { rel: 'indieauth-metadata', href: endpoints.metadata },
    { rel: 'authorization_endpoint', href: endpoints.authorization },
    { rel: 'token_endpoint', href: endpoints.token },
    { rel: 'micropub', href: endpoints.micropub },
    { rel: 'webmention', href: endpoints.webmention },
  ];
}

const purposes: Record<string, string> = {
  'indieauth-metadata': 'Apps find your sign-in',
  authorization_endpoint: 'Older apps find your sign-in',
  token_endpoint: 'Older apps find your tokens',
  micropub: 'Apps find where to post',
  webmention: 'Other sites find where to send mentions',
};

/** What the owner's page says of one link. The first of its relation counts, as for clients (IndieAuth 4.1). */
function findingOf({ rel, href }: LinkTag, found: readonly string[]): Finding {
  const base = { id: `link.${rel}`, title: purposes[rel] ?? rel };
  const first = found[0];
  const paste = `Put <link rel="${rel}" href="${href}"> into the head of your page.`;
  if (first === undefined)
    return { ...base, level: 'fail', detail: `Your page has no link to ${rel}.`, fix: paste };
  if (sameUrl(first, href)) return { ...base, level: 'pass', detail: `Your page links to ${href}.` };
  const detail = found.some((url) => sameUrl(url, href))
    ? `Your page links to this server, but ${first} comes first, and the first one counts.`
    : `Your page links to ${first} instead.`;
  return { ...base, level: 'fail', detail, fix: found.length > 1 ? `Remove the other ${rel} link.` : paste };
}

interface SetupDeps {
  readonly base: () => string;
  readonly profile: () => Profile;
  readonly fetch: GuardedFetch;
}

export function setupHandlers({
  base,
  profile,
  fetch,
}: SetupDeps): Pick<Handlers, 'setup.linkTags' | 'setup.check'> {
  return {
    'setup.linkTags': () => {
      const tags = linkTagsOf(base());
      return { tags, html: tags.map(({ rel, href }) => `<link rel="${rel}" href="${href}">`).join('\n') };
    },

    'setup.check': async () => {
      const { me } = profile();
      if (me === null)
        throw new PorchlightError('not_set_up', 'Say who you are first, so that there is a page to look at.');
      const fetched: Finding = {
        id: 'site',
        title: 'Your site can be read',
        level: 'pass',
        detail: `${me} answers.`,
      };
      try {
        const page = await fetch(me, { accept: 'text/html' });
        if (page.status !== 200)
          throw new PorchlightError('fetch_failed', `${me} answers with status ${page.status}.`);
        const { linkRels } = readPage(pageOf(page));
        return {
          findings: [fetched, ...linkTagsOf(base()).map((tag) => findingOf(tag, linkRels[tag.rel] ?? []))],
        };
      } catch (error) {
        if (!(error instanceof PorchlightError)) throw error;
        const fix = 'See that the address is right and that your site is up, then check again.';
        return { findings: [{ ...fetched, level: 'fail', detail: error.message, fix }] };
      }
    },
  };
}
