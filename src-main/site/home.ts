import type { FastifyPluginCallback } from 'fastify';
import type { Profile } from '../contract/settings.ts';
import type { LinkTag } from '../contract/setup.ts';
import { html } from '../http/html.ts';
import { sendPage } from '../http/page.ts';

export interface HomeDeps {
  readonly profile: () => Profile;
  /** The links by which apps and sites find this server. */
  readonly links: () => LinkTag[];
}

/**
 * The front page: who lives here, and, in the Link header and the head, where the endpoints are, so that the
 * public address itself can be the owner's domain (IndieAuth 4.1).
 */
export function homeRoutes({ profile, links }: HomeDeps): FastifyPluginCallback {
  return (app, _options, done) => {
    app.get('/', { config: { page: true } }, async (_request, reply) => {
      const { me, name, url, photo } = profile();
      const address = url === '' ? me : url;
      reply.header(
        'link',
        links().map(({ rel, href }) => `<${href}>; rel="${rel}"`),
      );
      return sendPage(reply, 200, {
        title: name === '' ? 'Porchlight' : name,
        head: html`${links().map(({ rel, href }) => html`<link rel="${rel}" href="${href}" /> `)}`,
        body:
          me === null
            ? html`<main class="center">
                <h1>Porchlight</h1>
                <p>The light is on. Whoever lives here has not moved in yet.</p>
              </main>`
            : html`<main class="h-card center">
                <h1>
                  <a class="p-name u-url u-uid" rel="me" href="${address}">${name === '' ? me : name}</a>
                </h1>
                ${photo === '' ? null : html`<data class="u-photo" value="${photo}"></data>`}
                <p class="soft"><span class="light" aria-hidden="true"></span>The light is on.</p>
              </main>`,
      });
    });
    done();
  };
}
