import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import type { MediaChange } from '../contract/media.ts';
import { answerTokenError } from '../http/bearer.ts';
import { formFields } from '../http/form.ts';
import { acceptMultipart } from '../http/multipart.ts';
import { answerMediaQuery, mediaUrl, type MediaQueryDeps } from './media-queries.ts';
import { checkMayDelete, onlyFilesOf } from './media-scope.ts';
import type { MediaFile } from './media-store.ts';
import { removeFile, tokenInBody } from './removal.ts';
import { receiveUpload, uploadTextBytes, type UploadDeps } from './upload.ts';
import { noStore } from '../http/security-headers.ts';

export interface MediaEndpointDeps extends UploadDeps, MediaQueryDeps {
  /** Called once a change to a file is on disk. The callback must not throw. */
  readonly changed: (file: MediaFile, change: MediaChange['change']) => Promise<void>;
  /**
   * Called when an app has deleted a file. The callback must not throw. `grantId`: the ID of the permission that the
   * app used.
   */
  readonly deletedBy: (file: MediaFile, grantId: string) => void;
}

/** Returns the routes of the media endpoint (Micropub 3.6), including queries and deletions (MX-22 to MX-26). */
export function mediaEndpoint(deps: MediaEndpointDeps): FastifyPluginCallback {
  const { store, base, authorize, changed } = deps;

  async function upload(request: FastifyRequest, reply: FastifyReply) {
    const file = await receiveUpload(deps, request);
    await changed(file, 'added');
    const url = mediaUrl(file, base());
    return reply.code(201).header('location', url).send({ url });
  }

  async function remove(request: FastifyRequest, reply: FastifyReply) {
    const bearer = await authorize(request, tokenInBody(request.body));
    checkMayDelete(bearer.scopes);
    const { path, file } = await removeFile(store, request.body, onlyFilesOf(bearer));
    if (file) {
      await changed(file, 'deleted');
      deps.deletedBy(file, bearer.grantId);
    }
    // 202 means that the file is gone, but that this is not on disk yet.
    return reply.code(store.isSaved(path) ? 204 : 202).send();
  }

  async function endpoint(app: FastifyInstance): Promise<void> {
    app.setErrorHandler(answerTokenError);
    await acceptMultipart(app, uploadTextBytes);
    // Parse JSON later, so that a client without a token first gets the error about the missing token.
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) =>
      done(null, text),
    );

    app.post('/media', { config: { upload: true } }, (request, reply) => {
      noStore(reply);
      return request.isMultipart() ? upload(request, reply) : remove(request, reply);
    });

    app.get('/media', async (request, reply) => {
      noStore(reply);
      const bearer = await authorize(request);
      return answerMediaQuery(deps, formFields(request.query), bearer);
    });
  }

  return (app, _options, done) => {
    void app.register(endpoint);
    done();
  };
}
