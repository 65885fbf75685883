// The baseline of the start: Fastify with one route. Prints its address. In JavaScript, so that stripping the types is
// not part of the start.
import Fastify from 'fastify';

const app = Fastify();
app.get('/', () => ({ issuer: 'https://porch.example/' }));
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
