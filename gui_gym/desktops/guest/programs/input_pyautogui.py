# mypy: ignore-errors
"""Runs on a guest without an X server (Windows, macOS): one input through pyautogui. Arguments: one JSON object. Prints one JSON object.

What pyautogui would leave out without a word is told instead, before anything is sent: keys it has no code for; characters that it cannot
type go through the clipboard, if there is one to use.
"""

import json
import sys

import pyautogui

asked = json.loads(sys.argv[1])
pyautogui.FAILSAFE = False
pyautogui.PAUSE = 0.02
codes = pyautogui.platformModule.keyboardMapping


class Unable(Exception):
    pass


def known(key):
    if codes.get(key) is None:
        raise Unable(f"the guest's pyautogui knows no key {key!r}")
    return key


def type_text(text):
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    odd = [char for char in text if char not in "\n\t" and not (0x20 <= ord(char) < 0x7F and codes.get(char) is not None)]
    if not odd:
        pyautogui.write(text, interval=0.01)
        return
    try:
        import pyperclip

        pyperclip.copy(text)
        if pyperclip.paste().replace("\r\n", "\n") != text:
            raise Unable(f"the guest's clipboard does not keep U+{ord(odd[0]):04X}")
    except (ImportError, RuntimeError) as error:
        raise Unable(f"the guest's pyautogui cannot type U+{ord(odd[0]):04X}, and pyperclip cannot paste it: {error}") from error
    pyautogui.hotkey("command" if sys.platform == "darwin" else "ctrl", "v")


def click():
    pyautogui.click(*asked["point"], clicks=asked["clicks"], button=button)


def hold(keys, between):
    for key in keys:
        pyautogui.keyDown(known(key))
    between()
    for key in reversed(keys):
        pyautogui.keyUp(key)


kind, button = asked["type"], asked.get("button", "LEFT").lower()
try:
    for key in [*asked.get("modifiers", []), *([asked["key"]] if "key" in asked else [])]:
        known(key)
    if kind == "MOVE":
        pyautogui.moveTo(*asked["point"])
    elif kind == "CLICK":
        hold(asked["modifiers"], click)
    elif kind == "MOUSE_DOWN":
        pyautogui.mouseDown(*asked["point"], button=button)
    elif kind == "MOUSE_UP":
        pyautogui.moveTo(*asked["point"], duration=0.1)
        pyautogui.mouseUp(*asked["point"], button=button)
    elif kind == "DRAG":
        pyautogui.moveTo(*asked["point"])
        pyautogui.dragTo(*asked["to"], duration=0.5, button=button)
    elif kind == "SCROLL":
        pyautogui.moveTo(*asked["point"])
        notch = 120 if sys.platform == "win32" else 1
        if asked["scroll"][1]:
            pyautogui.scroll(-notch * asked["scroll"][1])
        if asked["scroll"][0]:
            if sys.platform == "win32":
                raise Unable("the guest's pyautogui cannot scroll sideways")
            pyautogui.hscroll(notch * asked["scroll"][0])
    elif kind == "TYPE":
        type_text(asked["text"])
    elif kind == "KEY":
        hold(asked["modifiers"], lambda: pyautogui.press(asked["key"]))
    elif kind == "KEY_DOWN":
        pyautogui.keyDown(asked["key"])
    elif kind == "KEY_UP":
        pyautogui.keyUp(asked["key"])
    elif kind == "RELEASE_ALL":
        for key in asked["keys"]:
            pyautogui.keyUp(known(key))
        for name in ("left", "middle", "right"):
            pyautogui.mouseUp(button=name)
    print(json.dumps({"cursor": list(pyautogui.position())}))
except Unable as problem:
    print(json.dumps({"unable": str(problem)}))
