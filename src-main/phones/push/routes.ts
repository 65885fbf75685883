import type { FastifyPluginCallback, FastifyRequest } from 'fastify';
import { PorchlightError } from '../../contract/error.ts';
import { nothingHere } from '../../http/errors.ts';
import { noStore } from '../../http/response-headers.ts';
import { jsonIn } from '../../storage/json-value.ts';

interface PushRouteDeps {
  /** Whether the owner has turned phones on. Otherwise, these addresses don't exist. */
  readonly isOn: () => boolean;
  /** Returns the paired phone that sends a request; undefined if it is none. */
  readonly phoneOf: (request: FastifyRequest) => string | undefined;
  readonly subscribe: (phone: string, sent: unknown) => Promise<void>;
  readonly unsubscribe: (phone: string) => Promise<void>;
}

/**
 * The service worker of /phone, for browsers that don't show a declarative push themselves. It shows what the push says
 * and opens /phone. Its scope is /phone/, and it sees no request.
 */
const worker = `addEventListener('push', (event) => {
  const { title, navigate } = event.data.json().notification;
  event.waitUntil(registration.showNotification(title, { tag: 'sign-in', data: navigate }));
});
addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(clients.openWindow(event.notification.data));
});
`;

/** The manifest of /phone: only a page on the Home Screen of an iPhone can get pushes. */
const manifest = JSON.stringify({
  name: 'Porchlight',
  id: '/phone',
  start_url: '/phone',
  scope: '/phone',
  display: 'standalone',
  icons: [{ src: '/apple-touch-icon.png', sizes: '180x180', type: 'image/png' }],
});

const files = [
  { path: '/phone/worker.js', type: 'text/javascript; charset=utf-8', content: worker },
  { path: '/phone/manifest.webmanifest', type: 'application/manifest+json', content: manifest },
];

const subscriptionPath = '/phone/subscription';

/** Returns the routes with which a paired phone turns its notifications on and off, and the files of /phone. */
export function pushRoutes(deps: PushRouteDeps): FastifyPluginCallback {
  const { isOn, phoneOf, subscribe, unsubscribe } = deps;

  function paired(request: FastifyRequest): string {
    const phone = phoneOf(request);
    if (phone === undefined) throw new PorchlightError('forbidden', 'This phone isn’t paired.', 403);
    return phone;
  }

  return (app, _options, done) => {
    app.addHook('onRequest', (_request, _reply, next) => next(isOn() ? undefined : nothingHere()));
    // Only JSON is taken: other sites can't send that with the phone's cookie.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit: 8192 },
      (_request, text, parsed) => parsed(null, jsonIn(String(text))),
    );
    app.post(subscriptionPath, async (request, reply) => {
      noStore(reply);
      await subscribe(paired(request), request.body);
      return reply.code(204).send();
    });
    app.delete(subscriptionPath, async (request, reply) => {
      noStore(reply);
      await unsubscribe(paired(request));
      return reply.code(204).send();
    });
    for (const { path, type, content } of files)
      app.get(path, (_request, reply) => reply.header('cache-control', 'no-cache').type(type).send(content));
    done();
  };
}
