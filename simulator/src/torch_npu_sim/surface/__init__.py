"""The surface of torch_npu: its modules and their names, as the wheel has them."""
