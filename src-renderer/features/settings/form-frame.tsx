import type { ReactElement, ReactNode } from 'react';
import { Form } from '../../ui/form.tsx';
import { SaveRow } from './save-row.tsx';
import type { SettingsForm } from './use-settings-form.ts';

interface Props {
  readonly form: Pick<SettingsForm<'micropub'>, 'save'> & { readonly draft: object };
  /** True if a field was changed to something that cannot be saved. */
  readonly unsound?: boolean;
  readonly onSubmit: () => void;
  readonly onDiscard: () => void;
  readonly children: ReactNode;
}

/** A form for one part of the settings: its fields, and the row that saves them. */
export function FormFrame({ form, unsound = false, onSubmit, onDiscard, children }: Props): ReactElement {
  return (
    <Form onSubmit={onSubmit}>
      {children}
      <SaveRow
        changed={unsound || Object.keys(form.draft).length > 0}
        save={form.save}
        onDiscard={onDiscard}
      />
    </Form>
  );
}
