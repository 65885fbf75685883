import type { BareRoute } from '../bare.ts';
import type { Line } from '../targets.ts';
import { bareTask, taskRoute } from './bare-task.ts';
import { connections, requestContender, type RequestRow } from './request-row.ts';
import { measureOperation, type Scene } from './scene.ts';

const bytes = 2_000_000;
const boundary = 'frontier';
const filling = 'x'.repeat(bytes);

const upload: RequestRow = {
  name: 'upload',
  title: 'upload of 2 MB',
  status: 201,
  most: 32,
  requests: ({ token }) => [
    {
      method: 'POST',
      path: '/media',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      body: [
        `--${boundary}`,
        'content-disposition: form-data; name="file"; filename="a.pdf"',
        'content-type: application/pdf',
        '',
        `%PDF-1.7\n{n}\n${filling}`,
        `--${boundary}--`,
        '',
      ].join('\r\n'),
    },
  ],
};

/** The baseline writes and syncs files of the same size. */
export const uploadRoute: BareRoute = {
  ...taskRoute,
  url: `/${upload.name}`,
  work: { kind: 'loop', bytes, lanes: connections },
};

/** Measures uploads, compared with writing and syncing the same files. */
export function measureUploads(scene: Scene): Promise<Line> {
  return measureOperation(upload, scene, (target) =>
    target.name === 'bare'
      ? Promise.resolve(bareTask(target, upload.name))
      : requestContender(upload, { target, server: target, generator: scene.generator }),
  );
}
