import { relsInHeader } from '../../http/strangers/link-header.ts';
import { endpointsOf } from '../../indieauth/metadata.ts';
import { interrupted, pass, type Step } from './public-talk.ts';

/** What the links on the owner's site lead to: both endpoints answer through the public address as programs expect. */
export const endpointStep: Step = {
  id: 'endpoints',
  title: 'Posts and mentions find their door',
  async look(talk) {
    const micropub = await talk.get('/micropub?q=config', { accept: 'application/json' });
    // Nobody has shown a key, so that being asked for one is the right answer.
    if (micropub.status !== 401 || !/^bearer\b/i.test(micropub.headers.get('www-authenticate') ?? ''))
      return interrupted(talk, micropub);
    const webmention = await talk.get('/webmention', { accept: 'text/html' });
    const rels = relsInHeader(webmention.headers.get('link'), webmention.url);
    if (webmention.status !== 200 || rels['webmention']?.[0] !== endpointsOf(talk.base).webmention)
      return interrupted(talk, webmention);
    return pass('Micropub asks apps for their key, Webmention takes mentions.');
  },
};
