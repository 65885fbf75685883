import { Button, Tooltip, VisuallyHidden, type ButtonProps } from '@mantine/core';
import { useState, type ReactElement, type ReactNode } from 'react';
import shared from './shared.module.css';
import { useStillness } from './stillness.ts';
import { commonWords } from './words.ts';

interface Props extends Omit<ButtonProps, 'className'> {
  readonly children: ReactNode;
  readonly onClick: () => void;
  /** Tells the owner that a click was ignored, and what to do. */
  readonly ignoredWords?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string;
}

/**
 * A button that grants trust or deletes something for good. It ignores clicks and keys for a second after it appeared or
 * moved, and looks faint meanwhile: such a click was aimed at the element that was there before. An ignored click says
 * so at the button and starts another second.
 */
export function SteadyButton({
  onClick,
  children,
  ignoredWords = commonWords.ignoredClick,
  ...props
}: Props): ReactElement {
  const { ref, still, accepts } = useStillness();
  const [ignored, setIgnored] = useState(0);
  return (
    <>
      <Button
        {...props}
        ref={ref}
        className={shared.steady}
        // Not disabled: that would take the focus away.
        aria-disabled={still ? undefined : true}
        onBlur={() => setIgnored(0)}
        onClick={() => {
          if (accepts()) {
            setIgnored(0);
            onClick();
            return;
          }
          setIgnored(ignored + 1);
          // Not every browser focuses a button that is clicked. The message goes when the focus does.
          ref.current?.focus({ preventScroll: true });
        }}
      >
        {children}
      </Button>
      {ignored > 0 && (
        <>
          {/* A message that took up space would move other buttons. */}
          <Tooltip
            target={ref}
            opened
            multiline
            position="bottom-start"
            label={ignoredWords}
            className={shared.ignored}
            aria-hidden
          />
          {/* A new element for each click, so that screen readers read it again. */}
          <VisuallyHidden key={ignored} role="alert">
            {ignoredWords}
          </VisuallyHidden>
        </>
      )}
    </>
  );
}
