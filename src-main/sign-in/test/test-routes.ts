import type { FastifyPluginCallback } from 'fastify';
import { formFields } from '../../http/form.ts';
import { sendPage } from '../../http/page.ts';
import { appPage, outcomePage, usedPage } from './test-pages.ts';
import { testPath, type TestSignIns } from './test-sign-ins.ts';

type OfTest = { Params: { id: string } };

/** Serves the test app's two pages. Without the id of a running test, the pages do nothing. */
export function testSignInRoutes(tests: TestSignIns): FastifyPluginCallback {
  return (app, _options, done) => {
    const page = { config: { page: true }, exposeHeadRoute: false };
    app.get<OfTest>(`${testPath}/:id`, page, async (request, reply) => {
      const test = tests.find(request.params.id);
      return test ? sendPage(reply, 200, appPage(test.clientId)) : sendPage(reply, 404, usedPage());
    });
    app.get<OfTest>(`${testPath}/:id/done`, page, async (request, reply) => {
      const test = tests.find(request.params.id);
      if (!test) return sendPage(reply, 404, usedPage());
      return sendPage(reply, 200, outcomePage(await tests.end(test, formFields(request.query))));
    });
    done();
  };
}
