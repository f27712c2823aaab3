"""The families of the suite ``sim``, by what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gui_gym.registry import Registry

if TYPE_CHECKING:
    from gui_gym.tasks.sim.family import Family

#: Families by id.
FAMILIES: Registry[type[Family]] = Registry(
    "task family",
    {
        "check-boxes": "gui_gym.tasks.sim.families.forms:CheckBoxes",
        "choose-date": "gui_gym.tasks.sim.families.dates:ChooseDate",
        "choose-menu": "gui_gym.tasks.sim.families.choices:ChooseMenu",
        "choose-one": "gui_gym.tasks.sim.families.forms:ChooseOne",
        "click-button": "gui_gym.tasks.sim.families.buttons:ClickButton",
        "click-colour": "gui_gym.tasks.sim.families.buttons:ClickColour",
        "close-window": "gui_gym.tasks.sim.families.windows:CloseWindow",
        "copy-between-windows": "gui_gym.tasks.sim.families.records:CopyBetweenWindows",
        "copy-text": "gui_gym.tasks.sim.families.forms:CopyText",
        "delete-file": "gui_gym.tasks.sim.families.files:DeleteFile",
        "drag-into-folder": "gui_gym.tasks.sim.families.drag:DragIntoFolder",
        "drag-shape-to-area": "gui_gym.tasks.sim.families.drag:DragShapeToArea",
        "drag-to-cell": "gui_gym.tasks.sim.families.drag:DragToCell",
        "edit-and-save": "gui_gym.tasks.sim.families.files:EditAndSave",
        "enter-date": "gui_gym.tasks.sim.families.dates:EnterDate",
        "enter-password": "gui_gym.tasks.sim.families.passwords:EnterPassword",
        "enter-text": "gui_gym.tasks.sim.families.forms:EnterText",
        "enter-time": "gui_gym.tasks.sim.families.dates:EnterTime",
        "fill-form": "gui_gym.tasks.sim.families.forms:FillForm",
        "find-in-text": "gui_gym.tasks.sim.families.texts:FindInText",
        "focus-field": "gui_gym.tasks.sim.families.records:FocusField",
        "login-user": "gui_gym.tasks.sim.families.passwords:LoginUser",
        "move-in-list": "gui_gym.tasks.sim.families.drag:MoveInList",
        "move-window": "gui_gym.tasks.sim.families.windows:MoveWindow",
        "multi-line-note": "gui_gym.tasks.sim.families.entering:MultiLineNote",
        "order-form": "gui_gym.tasks.sim.families.numbers:OrderForm",
        "pick-from-list": "gui_gym.tasks.sim.families.choices:PickFromList",
        "press-the-button": "gui_gym.tasks.sim.families.buttons:PressTheButton",
        "rate-and-review": "gui_gym.tasks.sim.families.numbers:RateAndReview",
        "read-code": "gui_gym.tasks.sim.families.choices:ReadCode",
        "read-field": "gui_gym.tasks.sim.families.records:ReadField",
        "read-size": "gui_gym.tasks.sim.families.files:ReadSize",
        "rename-file": "gui_gym.tasks.sim.families.files:RenameFile",
        "replace-word": "gui_gym.tasks.sim.families.texts:ReplaceWord",
        "resize-shape": "gui_gym.tasks.sim.families.drag:ResizeShape",
        "scroll-and-type": "gui_gym.tasks.sim.families.texts:ScrollAndType",
        "select-text": "gui_gym.tasks.sim.families.texts:SelectText",
        "set-range": "gui_gym.tasks.sim.families.numbers:SetRange",
        "set-slider": "gui_gym.tasks.sim.families.forms:SetSlider",
        "sort-by-drag": "gui_gym.tasks.sim.families.drag:SortByDrag",
        "transform-text": "gui_gym.tasks.sim.families.entering:TransformText",
        "type-exact": "gui_gym.tasks.sim.families.entering:TypeExact",
        "use-spinner": "gui_gym.tasks.sim.families.numbers:UseSpinner",
        "use-suggestions": "gui_gym.tasks.sim.families.entering:UseSuggestions",
    },
)
