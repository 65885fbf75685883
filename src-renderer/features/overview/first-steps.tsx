import { Button, Text, VisuallyHidden } from '@mantine/core';
import type { ReactElement } from 'react';
import { initialSettings, type Settings } from '../../../src-main/contract/settings.ts';
import type { Status } from '../../../src-main/contract/status.ts';
import { useAnswer } from '../../client/queries.ts';
import { hashOf, settingsHash, writeHash } from '../../routes.ts';
import { IconCircleCheck } from '../../ui/icons.ts';
import { Section } from '../../ui/page.tsx';
import shared from '../../ui/shared.module.css';
import { WarningNote } from '../../ui/states.tsx';
import { useDismissed } from './dismissed.ts';
import { type MissingStep, useMissing } from './next-step.tsx';
import styles from './overview.module.css';
import { NoteLink } from './problems.tsx';
import { firstStepWords as words } from './words.ts';

/** With this many posts, a server isn't new. */
const manyPosts = 5;

interface Step {
  readonly title: string;
  readonly about: string;
  readonly link: string;
  readonly hash: string;
  readonly isDone: boolean;
}

/** The four steps of a new server, with ticks; later, what is still missing before apps can sign the owner in. */
export function FirstSteps({ status }: { status: Status }): ReactElement | null {
  const hidden = useDismissed('first-steps');
  const missing = useMissing(status);
  const posts = useAnswer('posts.list', { limit: manyPosts }).data?.items;
  const site = useAnswer('settings.get', {}).data?.site;
  const folder = useAnswer('data.folder', {}).data;
  if (missing === undefined || posts === undefined || site === undefined || folder === undefined) return null;
  const steps = [
    addressStep(missing, status),
    { ...words.post, hash: writeHash(), isDone: posts.length > 0 },
    { ...words.look, hash: settingsHash('site'), isDone: hasOwnLook(site) },
    { ...words.backup, hash: hashOf('data'), isDone: folder.lastBackup !== null },
  ];
  const isNew = posts.length < manyPosts && steps.some(({ isDone }) => !isDone);
  if (isNew && !hidden.has('all'))
    return <Steps steps={steps} isCalm={status.server !== 'trouble'} onHide={() => hidden.dismiss('all')} />;
  if (missing === null) return null;
  return (
    <WarningNote>
      {missing.words} <NoteLink hash={missing.hash}>{missing.link}</NoteLink>
    </WarningNote>
  );
}

/** While the server is off, nothing can be said about its address. */
function addressStep(missing: MissingStep | null, { server }: Status): Step {
  const { title, off: about } = words.address;
  const isDone = missing === null && server === 'on';
  return {
    title,
    about: missing?.words ?? about,
    link: missing?.link ?? '',
    hash: missing?.hash ?? '',
    isDone,
  };
}

/** Returns whether the owner changed anything about the look of the site. */
function hasOwnLook(site: Settings['site']): boolean {
  const first = initialSettings().site;
  return (['title', 'tagline', 'photo', 'accent', 'theme', 'css'] as const).some(
    (part) => site[part] !== first[part],
  );
}

interface StepsProps {
  readonly steps: readonly Step[];
  /** False while another button is more urgent. */
  readonly isCalm: boolean;
  readonly onHide: () => void;
}

function Steps({ steps, isCalm, onHide }: StepsProps): ReactElement {
  const next = isCalm && steps.find(({ isDone, link }) => !isDone && link !== '');
  return (
    <Section
      title={words.title}
      actions={
        <Button variant="subtle" size="compact-sm" onClick={onHide}>
          {words.hide}
        </Button>
      }
    >
      <ol className={`${shared.card} ${shared.list} ${styles.needs} ${styles.steps}`}>
        {steps.map((step) => (
          <li key={step.title} className={styles.need}>
            <span className={styles.tick} data-done={step.isDone || undefined}>
              {step.isDone && <IconCircleCheck size={22} aria-hidden="true" />}
            </span>
            <div className={shared.rowBody}>
              <Text fw={600}>
                {step.isDone && <VisuallyHidden>{words.done}: </VisuallyHidden>}
                {step.title}
              </Text>
              {!step.isDone && (
                <Text size="sm" c="dimmed" className={shared.wrap}>
                  {step.about}
                </Text>
              )}
            </div>
            {!step.isDone && step.link !== '' && (
              <div className={styles.needActions}>
                <Button
                  component="a"
                  href={step.hash}
                  size="xs"
                  {...(step === next ? { color: 'amber.5' } : { variant: 'default' })}
                >
                  {step.link}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}
