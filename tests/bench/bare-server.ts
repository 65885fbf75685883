import Fastify from 'fastify';

/** The baseline: Fastify with one JSON route, and nothing else. Prints its address. */
const answer = { issuer: 'https://porch.example/', authorization_endpoint: 'https://porch.example/auth' };
const app = Fastify();
app.get('/', () => answer);
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
