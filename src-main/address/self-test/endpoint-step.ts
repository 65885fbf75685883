import { relsInHeader } from '../../untrusted/pages/link-header.ts';
import { endpointsOf } from '../../http/server-metadata.ts';
import { fail, interrupted, pass, type StepOutcome, type PublicStep } from './public-talk.ts';

/** Checks that the Micropub and webmention endpoints respond through the public address as apps expect. */
export const endpointStep: PublicStep = {
  id: 'endpoints',
  title: 'Posts and mentions can come in',
  problem: 'Posts or mentions can’t come in',
  async look(talk) {
    const micropub = await talk.get('/micropub?q=config', { accept: 'application/json' });
    // Without an access token, 401 is the correct response.
    if (micropub.status !== 401) return interrupted(talk, micropub);
    if (!/^bearer\b/i.test(micropub.headers.get('www-authenticate') ?? ''))
      return lost('WWW-Authenticate', 'Apps that post can’t tell that they have to sign in first.');
    const webmention = await talk.get('/webmention', { accept: 'text/html' });
    if (webmention.status !== 200) return interrupted(talk, webmention);
    const rels = relsInHeader(webmention.headers.get('link'), webmention.url);
    if (rels['webmention']?.[0] !== endpointsOf(talk.base).webmention)
      return lost('Link', 'Other sites can’t find out where to send mentions of your posts.');
    return pass('The addresses for posts and for mentions answer correctly.');
  },
};

function lost(header: string, consequence: string): StepOutcome {
  return fail(
    `Your reverse proxy removes or changes the ${header} header. ${consequence}`,
    `Configure your reverse proxy to pass on the ${header} header of responses unchanged.`,
  );
}
