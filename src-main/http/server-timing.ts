import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * The phases of a request. `hooks` ends when all hooks have accepted the request, `reading` when its body has arrived,
 * and `answering` when the response is ready to send.
 */
const phases = ['hooks', 'reading', 'answering'];

/**
 * Adds a Server-Timing header with the time that each phase of a request took, in ms. For developers only, because
 * these times tell strangers what the server does. Sending the response isn't included, because the header comes before
 * the body.
 */
export function addServerTiming(app: FastifyInstance): void {
  const moments = new WeakMap<FastifyRequest, number[]>();
  const mark = (request: FastifyRequest) => moments.get(request)?.push(performance.now());

  app.addHook('onRequest', (request, _reply, done) => {
    moments.set(request, [performance.now()]);
    done();
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    mark(request);
    done(null, payload);
  });
  app.addHook('preHandler', (request, _reply, done) => {
    mark(request);
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    mark(request);
    const [first = 0, ...ends] = moments.get(request) ?? [];
    const lasted = ends.map((end, index) => end - (ends[index - 1] ?? first));
    const words = lasted.map((ms, index) => `${phases[index] ?? ''};dur=${ms.toFixed(2)}`);
    reply.header('server-timing', words.join(', '));
    done(null, payload);
  });
}
