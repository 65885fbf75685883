import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

/** The baseline: Fastify with a JSON route, one that takes a form, one that answers a fixed page (the file named first), and nothing else. Prints its address. */
const answer = { issuer: 'https://porch.example/', authorization_endpoint: 'https://porch.example/auth' };
const [file] = process.argv.slice(2);
const page = file === undefined ? '' : readFileSync(file, 'utf8');
const app = Fastify();
app.get('/', () => answer);
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
  done(null, body),
);
app.post('/', () => answer);
app.get('/page', (_request, reply) => reply.type('text/html; charset=utf-8').send(page));
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
