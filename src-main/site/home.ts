import type { FastifyReply } from 'fastify';
import type { LinkTag } from '../contract/setup.ts';
import { html } from '../http/html.ts';
import { sendPage } from '../http/page.ts';

/** Sends the front page of a server that has not been set up yet. */
export async function sendFirstStart(reply: FastifyReply, links: readonly LinkTag[]): Promise<FastifyReply> {
  await sendPage(reply, 200, {
    title: 'Porchlight',
    head: html`${links.map(({ rel, href }) => html`<link rel="${rel}" href="${href}" /> `)}`,
    body: html`<main class="center">
      <h1>Porchlight</h1>
      <p>This Porchlight server is running. Its owner has not set it up yet.</p>
    </main>`,
  });
  return reply;
}
