export interface WorkerUpload {
  /** The source code of the Worker's only module. */
  readonly script: string;
  /** The compatibility date of the Workers runtime: YYYY-MM-DD. */
  readonly compatibilityDate: string;
  /** The class name of the Worker's Durable Object, and the name of its binding. */
  readonly durableObject: { readonly binding: string; readonly className: string };
  readonly secrets: Readonly<Record<string, string>>;
  readonly texts: Readonly<Record<string, string>>;
}

/** The file name of the module in an upload. */
const mainModule = 'worker.js';
/** The tag of the migration that creates the Durable Object. */
const firstMigration = 'v1';

/**
 * Returns the form that uploads a Worker: its metadata and its module. Includes the migration that creates the Durable
 * Object only if it has not been applied yet, because Cloudflare refuses a repeated migration. `migrationTag`: the tag
 * of the last migration that was applied.
 */
export function workerForm(upload: WorkerUpload, migrationTag: string | null): FormData {
  const { binding, className } = upload.durableObject;
  const metadata = {
    main_module: mainModule,
    compatibility_date: upload.compatibilityDate,
    bindings: [
      { type: 'durable_object_namespace', name: binding, class_name: className },
      ...Object.entries(upload.secrets).map(([name, text]) => ({ type: 'secret_text', name, text })),
      ...Object.entries(upload.texts).map(([name, text]) => ({ type: 'plain_text', name, text })),
    ],
    ...(migrationTag !== firstMigration && {
      migrations: { new_tag: firstMigration, new_sqlite_classes: [className] },
    }),
  };
  const form = new FormData();
  form.set('metadata', new Blob([JSON.stringify(metadata)], { type: 'application/json' }));
  const module = new Blob([upload.script], { type: 'application/javascript+module' });
  form.set(mainModule, module, mainModule);
  return form;
}
